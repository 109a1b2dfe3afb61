/** The token of the link that led here: it stands after the #, which no server and no log sees. */
export function linkToken(): string {
  return globalThis.location.hash.slice(1);
}
