/** What a page needs of the document to open a terminal. */
export interface StyleDocument {
  createElement(name: string, options?: ElementCreationOptions): HTMLElement;
}

/**
 * Runs something that puts `<style>` elements into the page, which its policy allows with its nonce alone. They must have
 * it before they are inserted, and the terminal cannot be told; so they get it where they are made, only meanwhile.
 */
export function withStyleNonce<Result>(page: StyleDocument, nonce: string, run: () => Result): Result {
  const create = page.createElement.bind(page);
  page.createElement = (name, options) => {
    const element = create(name, options);
    if (name.toLowerCase() === "style") element.setAttribute("nonce", nonce);
    return element;
  };
  try {
    return run();
  } finally {
    // What stood before it is the prototype's own.
    Reflect.deleteProperty(page, "createElement");
  }
}

/** The nonce of this page, as its shell has it. */
export function pageNonce(page: Document): string {
  return page.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
