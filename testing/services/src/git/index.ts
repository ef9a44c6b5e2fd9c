/** Apart from the index above: only tests of git load it. */
export type { TestFiles } from "./fast-import.ts";
export { startGitDaemon } from "./git-daemon.ts";
export { GitHttpServer, type GitHttpOptions } from "./git-http-server.ts";
export { makeGpgKey, makeSshKey, type GpgKey, type SshKeyPair } from "./signing-keys.ts";
export { runGit } from "./run-git.ts";
export { startGitSsh, type GitSshServer } from "./ssh-server.ts";
export { TestRepository } from "./test-repository.ts";
