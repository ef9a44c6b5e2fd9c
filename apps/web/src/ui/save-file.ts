interface SavePicker {
  showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<{
    createWritable(): Promise<WritableStream<Uint8Array<ArrayBuffer>>>;
  }>;
}

/** Gives a text to the reader as a file. It is made here: what is shown need not be asked for again. */
export function saveText(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}

/**
 * Writes a stream into a file that the reader chooses, piece by piece where the browser can; others keep it in memory
 * until it is complete. False where the reader changed their mind.
 */
export async function saveStream(
  name: string,
  open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>,
): Promise<boolean> {
  const { showSaveFilePicker } = globalThis as SavePicker;
  if (showSaveFilePicker === undefined) {
    saveBlob(name, await new Response(await open()).blob());
    return true;
  }
  try {
    const file = await showSaveFilePicker({ suggestedName: name });
    await (await open()).pipeTo(await file.createWritable());
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return false;
    throw error;
  }
}

function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
