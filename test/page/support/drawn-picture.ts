import type { Locator } from 'playwright-core'

/** Enough for a chart that is drawn slowly; one that never rests is taken as it is then. */
const maxTakes = 40

/** A picture of an element when it no longer changes: charts are drawn for about a second. */
export async function drawnPicture(element: Locator): Promise<Buffer> {
  let before = await element.screenshot()
  for (let take = 1; take < maxTakes; take++) {
    const now = await element.screenshot()
    if (now.equals(before)) return now
    before = now
  }
  return before
}
