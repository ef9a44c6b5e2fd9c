/** Why a command was told to stop whose output nobody reads any more, as after `bowline get … | head`. */
export class BrokenPipe extends Error {
  override readonly name = "BrokenPipe";
}

/** What a shell reports for a process that wrote into such a pipe: 128 and the number of SIGPIPE. */
export const brokenPipeExitCode = 141;
