import { useWhoami } from "../session.ts";

/** Why somebody may not have clusters made; undefined for those who may. */
export function useCreateOff(): string | undefined {
  const { data: me } = useWhoami();
  if (me?.role !== "viewer") return undefined;
  return "You are a viewer here; to create clusters takes the role editor.";
}
