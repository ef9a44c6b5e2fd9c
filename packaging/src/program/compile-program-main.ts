/** Compiles the text of a program, its first argument, into a file, its second. Started by `bundle-compiled.ts`. */
import { readFileSync, writeFileSync } from "node:fs";

import { compileProgram } from "@bowline/program/compiled-program";

const [text = "", code = ""] = process.argv.slice(2);
writeFileSync(code, compileProgram(readFileSync(text, "latin1")));
