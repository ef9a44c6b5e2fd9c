import { createHash } from "node:crypto";

import type { Random } from "@bowline/core";

import { imageRepository } from "./image-name.ts";

const digests = new Map<string, string>();
const rememberedDigests = 1000;

/** The digest an image would have: the same for the same name. */
export function imageId(image: string): string {
  const known = digests.get(image);
  if (known !== undefined) return known;
  const id = `${imageRepository(image)}@sha256:${createHash("sha256").update(image).digest("hex")}`;
  if (digests.size < rememberedDigests) digests.set(image, id);
  return id;
}

export function containerId(random: Random): string {
  let hex = "";
  while (hex.length < 64)
    hex += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return `containerd://${hex}`;
}
