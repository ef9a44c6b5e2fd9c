/** The version that every object of the REST API carries. */
export const apiVersion = "bowline.dev/v1";
export type ApiVersion = typeof apiVersion;
