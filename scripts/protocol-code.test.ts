import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { staleProtocolCode } from "./protocol-code.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const code = "packages/protocol/src/gen/bowline/agent/v1";

describe("staleProtocolCode", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bowline-protocol-code-"));
    for (const part of ["proto", "buf.yaml", "buf.gen.yaml", "src/gen"]) {
      cpSync(join(repository, "packages/protocol", part), join(root, "packages/protocol", part), {
        recursive: true,
      });
    }
    symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test("finds nothing in what is committed", () => {
    expect(staleProtocolCode(root)).toEqual([]);
  });

  test("finds code that somebody changed, that is missing, and that has no schema any more", () => {
    appendFileSync(join(root, code, "tunnel_pb.ts"), "// changed");
    rmSync(join(root, code, "join_pb.ts"));
    writeFileSync(join(root, code, "old_pb.ts"), "");
    expect(staleProtocolCode(root)).toEqual([
      { path: `${code}/join_pb.ts`, content: readFileSync(join(repository, code, "join_pb.ts"), "utf8") },
      { path: `${code}/old_pb.ts`, content: undefined },
      { path: `${code}/tunnel_pb.ts`, content: readFileSync(join(repository, code, "tunnel_pb.ts"), "utf8") },
    ]);
  });

  test("says what is wrong with a schema", () => {
    appendFileSync(join(root, "packages/protocol/proto/bowline/agent/v1/join.proto"), "message {");
    expect(() => staleProtocolCode(root)).toThrow("buf failed:");
  });
});
