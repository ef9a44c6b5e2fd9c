/** The look at the machine that starts every `npm test`: apart from the index, because it must cost next to nothing. */
export { missingPrograms } from "./find-program.ts";
export {
  chromiumProgram,
  kubectlProgram,
  natsProgram,
  postgresProgram,
  testPrograms,
  type TestProgram,
} from "./test-programs.ts";
