export { refusedValues } from "./refused-values.ts";
export { valueCases, type ValueCase } from "./value-cases.ts";
