import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { normaliseUrl } from "../index.ts";
import { parseRepositoryUrl } from "./repository-url.ts";

const pieces = [
  "https://",
  "ssh://",
  "file:///",
  "git@",
  "h",
  ":",
  "/",
  ".git",
  ".",
  "%",
  "%20",
  "[::1]",
  "22",
  "x",
];
const odd = fc
  .array(fc.constantFrom(...pieces), { minLength: 3, maxLength: 8 })
  .map((parts) => parts.join(""));

describe("an address of a repository", () => {
  it.each([
    ["https://Git.Example.com:443/team/app.git", "https://git.example.com/team/app"],
    ["https://git.example.com/team//app/", "https://git.example.com/team/app"],
    ["https://git.example.com:8443/app.git/", "https://git.example.com:8443/app"],
    ["git@git.example.com:team/app.git", "ssh://git@git.example.com/team/app"],
    ["ssh://git@git.example.com:22/team/app", "ssh://git@git.example.com/team/app"],
    ["ssh://git@[::1]:2222/app", "ssh://git@[::1]:2222/app"],
    ["file:///srv/git/app.git", "file:///srv/git/app"],
    ["https://bücher.example/app", "https://xn--bcher-kva.example/app"],
  ])("%s is %s", (written, normalised) => {
    expect(normaliseUrl(written)).toBe(normalised);
    expect(normaliseUrl(normalised)).toBe(normalised);
  });

  it.each([
    "",
    "app.git",
    "https://user:secret@git.example.com/app",
    "https://user@git.example.com/app",
    "ssh://git:secret@git.example.com/app",
    "ssh://-oProxyCommand=x/app",
    "ssh://-x@git.example.com/app",
    "-x@host:app",
    "-oProxyCommand=x:app",
    "https://git.example.com",
    "https://git.example.com/app?x=1",
    "https://git.example.com/a b",
    "ext::sh -c true",
    "git://git.example.com/app",
    "file://host/app",
    `https://git.example.com/${"x".repeat(3_000)}`,
  ])("%s is refused, without repeating a secret", (written) => {
    expect(normaliseUrl(written)).toBeUndefined();
    expect(() => parseRepositoryUrl(written)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    expect(() => parseRepositoryUrl(written)).not.toThrow(/secret/u);
  });

  it.each([
    ["host:a<b", "ssh://host/a%3Cb"],
    ["host:a%20b", "ssh://host/a%2520b"],
    ["host:a?b#c", "ssh://host/a%3Fb%23c"],
    ["host:a/../b", "ssh://host/b"],
    ["https://host/a/...git", "https://host/a/...git"],
    ["https://host/%2e.git", "https://host/%2e.git"],
  ])("%s is %s, and stays it", (written, normalised) => {
    expect(normaliseUrl(written)).toBe(normalised);
    expect(normaliseUrl(normalised)).toBe(normalised);
  });

  it("has one form however often it is normalised", () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), odd), (text) => {
        const once = normaliseUrl(text);
        expect(once === undefined ? undefined : normaliseUrl(once)).toBe(once);
      }),
    );
  });
});
