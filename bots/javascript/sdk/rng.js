// A small seeded generator: Math.random cannot be seeded, and results must not depend on how games interleave.

/** A generator of 32-bit words: the "small fast counting" one of PractRand, 128 bits of state. */
export class Rng {
  #a;
  #b;
  #c = 0;
  #counter = 1;

  /** @param {number} seed a whole number from 0, below 2^53 */
  constructor(seed) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    for (let skipped = 0; skipped < 12; skipped++) this.#word(); // until the seed has reached every bit
  }

  #word() {
    const word = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + word) | 0;
    return word >>> 0;
  }

  /** Return a number from 0, below 1. */
  random() {
    return (this.#word() * 2 ** 21 + (this.#word() >>> 11)) / 2 ** 53;
  }

  /** Return a whole number from 0, below `end`. */
  below(end) {
    return Math.floor(this.random() * end);
  }

  /** Return one of the items of an array that is not empty. */
  choice(items) {
    return items[this.below(items.length)];
  }
}
