/**
 * Limits of what is read, each with a problem that names it. They keep a small text from becoming a large object, and one
 * definition from taking the memory of all others.
 */

/** Bytes of a text in UTF-8, for manifests that are written into an object of the API. */
export const maxManifestBytes = 1024 * 1024;

/** Objects of one text. */
export const maxManifestObjects = 5000;

/** Levels of objects and lists in each other, aliases counted as what they stand for. */
export const maxManifestDepth = 100;

/** Characters of the objects once aliases, merges or parameters are written out. */
export const maxExpandedLength = 10 * 1024 * 1024;
