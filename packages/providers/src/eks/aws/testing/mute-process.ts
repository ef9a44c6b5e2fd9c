/** In the place of the process for AWS: hears every question and answers none. */
process.on("message", () => undefined);
