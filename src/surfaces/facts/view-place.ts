/** The address of a call in the page. */
export function callAddress(page: string, call: string): string {
  return `${page}/calls/${encodeURIComponent(call)}`
}

/**
 * Where the view of a call is shown, in words for a terminal.
 *
 * @param page The address of the page that runs, without its token.
 */
export function viewPlace(call: string, page: string | undefined): string {
  const command = `plugboard open ${call}`
  return page === undefined ? `plugboard serve, then ${command}` : `${callAddress(page, call)} (${command})`
}
