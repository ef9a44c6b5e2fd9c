export { startChromium } from "./browser/chromium.ts";
export { Visit } from "./browser/visit.ts";
export { firstLoadGzipBytes } from "./page-size.ts";
export { pageFolder } from "./stage/built-page.ts";
export { ConsoleServer } from "./stage/console-server.ts";
export { JoinedCluster } from "./stage/joined-cluster.ts";
