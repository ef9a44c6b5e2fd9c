/**
 * The process of one cluster of the demo: a simulated cluster and its agent, both on loopback only. It takes orders
 * from the demo over the channel it was started with, and ends with it, however that ends.
 */
import { enableCompileCache } from "node:module";

// Before anything else is loaded: the second start then takes half as long.
enableCompileCache();

// Before the rest is read, which takes a while: the demo may be gone by then.
process.once("disconnect", () => process.exit(0));

const { runSite } = await import("./run-site.ts");
const [name = "", folder = "", version = ""] = process.argv.slice(2);
await runSite({ name, folder, version });
