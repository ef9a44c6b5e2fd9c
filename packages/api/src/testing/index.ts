export { arbitraryBody, arbitraryFor } from "./arbitrary-for.ts";
