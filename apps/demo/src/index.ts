export { Board } from "./live/demo-state.ts";
export { initialState, type DemoState } from "./live/demo-state.ts";
export { startDemo, type RunningDemo, type StartDemoOptions } from "./run/start-demo.ts";
export { PlainView } from "./view/plain-view.ts";
export { Screen } from "./view/screen.ts";
