import { expect, it } from "vitest";
import { parseLdd, programFiles } from "./program-files.ts";

it("reads the libraries that ldd lists, and leaves out what is no file", () => {
  const output = `\tlinux-vdso.so.1 (0x00007ffc5b5f2000)
\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f21b4a1f000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f21b483e000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f21b4b11000)
`;
  expect(parseLdd(output)).toEqual([
    "/lib/x86_64-linux-gnu/libm.so.6",
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib64/ld-linux-x86-64.so.2",
  ]);
});

it("puts a program and its libraries into an image", async () => {
  const paths = (await programFiles(process.execPath, "bin/node")).map(({ path }) => path);
  expect(paths[0]).toBe("bin/node");
  expect(paths.some((path) => /^lib.*\/libc\.so/.test(path))).toBe(true);
});
