import { expect, it } from "vitest";
import { sourceEntriesOnly } from "./debian-sources.ts";

it("turns the entries of a .sources file into source entries", () => {
  const text = `Types: deb
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main

types: deb deb-src
URIs: http://mirror.example/security
`;
  expect(sourceEntriesOnly("debian.sources", text)).toBe(`Types: deb-src
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb-src
URIs: http://mirror.example/security
`);
});

it("turns the entries of a .list file into source entries, and leaves comments alone", () => {
  const text = `# deb http://mirror.example/old buster main
deb http://mirror.example/debian bookworm main
deb [signed-by=/usr/share/keyrings/key.gpg] http://mirror.example/debian bookworm-updates main
deb-src http://mirror.example/debian bookworm main
`;
  expect(sourceEntriesOnly("sources.list", text)).toBe(`# deb http://mirror.example/old buster main
deb-src http://mirror.example/debian bookworm main
deb-src [signed-by=/usr/share/keyrings/key.gpg] http://mirror.example/debian bookworm-updates main
deb-src http://mirror.example/debian bookworm main
`);
});
