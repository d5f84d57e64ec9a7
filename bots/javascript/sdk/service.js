// The gRPC client of the contract, made from the .proto files when the bot starts.

import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";
import { fileURLToPath } from "node:url";

const PROTO = fileURLToPath(new URL("proto", import.meta.url));
const FORM = { longs: Number, enums: String, defaults: true, oneofs: true }; // every integer is below 2^53

/** Return the class of clients of arena.v1.ArenaService; field names are those of protobuf's JSON form. */
export function loadService() {
  const definition = protoLoader.loadSync("arena/v1/arena.proto", { ...FORM, includeDirs: [PROTO] });
  return grpc.loadPackageDefinition(definition).arena.v1.ArenaService;
}
