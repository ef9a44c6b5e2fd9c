import { bowlineImage, bundleProgram, type ImageOptions } from "@bowline/packaging";

/** As `bowline cluster add` of this version names it. */
export const agentImageName = "bowline:1.2.3";

/** What `npm run image` makes. */
export async function agentImage(folder: string): Promise<ImageOptions> {
  // As container engines complete it.
  const image = await bowlineImage(await bundleProgram(folder), `docker.io/library/${agentImageName}`);
  // It says all it can say: what it must not say is looked for.
  return { ...image, env: { ...image.env, BOWLINE_LOG_LEVEL: "debug" } };
}
