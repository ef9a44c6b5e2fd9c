/**
 * Where the executable begins: its files are assets, with addresses such as `bowline:///dist/bowline.mjs`, and load
 * each other from there. A first argument such as `part:dist/render-process.mjs` names another program to be.
 */
import { registerHooks } from "node:module";
import * as sea from "node:sea";

const scheme = "bowline:";
const prefix = "part:";

registerHooks({
  resolve(specifier, context, next) {
    const isOwn = specifier.startsWith(scheme) || context.parentURL?.startsWith(scheme) === true;
    if (!isOwn || !/^(?:bowline:|\.)/u.test(specifier)) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context);
    const asset = sea.getAsset(new URL(url).pathname.slice(1), "utf8");
    // Libraries from the time of `require` ask for modules of Node by it, and it takes addresses of files only.
    const source = asset.replace("createRequire(import.meta.url)", 'createRequire("file:///")');
    return { format: "module", source, shortCircuit: true };
  },
});

const [first = ""] = process.argv.slice(2);
const isPart = first.startsWith(prefix) && sea.getAssetKeys().includes(first.slice(prefix.length));
if (isPart) process.argv.splice(2, 1);
void import(`bowline:///${isPart ? first.slice(prefix.length) : "dist/bowline.mjs"}`);
