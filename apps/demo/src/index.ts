export { Board, initialState } from "./live/demo-state.ts";
export { startDemo } from "./run/start-demo.ts";
export { PlainView } from "./view/plain-view.ts";
export { Screen } from "./view/screen.ts";
