"""Whatever fills a seat: bot programs as processes, and their connections to the referee."""
