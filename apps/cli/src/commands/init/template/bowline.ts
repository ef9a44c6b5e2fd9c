export type * from "@bowline/render/app";
