import type { CallRow } from '../../../src/client.ts'

/** What made a call, in words: `page`, `chat`, `app of get-budget`. */
export function makerOf({ by, app }: Pick<CallRow, 'by' | 'app'>): string {
  return app === undefined ? by : `${by} of ${app.slice(app.indexOf('/') + 1)}`
}
