/** An image the way containerd names it: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const slash = image.indexOf("/");
  const host = slash === -1 ? "" : image.slice(0, slash);
  const hasHost = host.includes(".") || host.includes(":") || host === "localhost";
  const path = hasHost ? image : `docker.io/${slash === -1 ? "library/" : ""}${image}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}

/** The repository of an image, without tag or digest. */
export function imageRepository(image: string): string {
  const full = fullImageName(image);
  const at = full.indexOf("@");
  const path = at === -1 ? full : full.slice(0, at);
  const colon = path.lastIndexOf(":");
  return colon > path.lastIndexOf("/") ? path.slice(0, colon) : path;
}
