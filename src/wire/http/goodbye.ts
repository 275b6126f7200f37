import { acknowledgment } from './acknowledgment.ts'
import { Exchange } from './exchange.ts'
import type { Ask } from './exchange.ts'
import type { Endpoint } from './endpoint.ts'
import { agreementHeaders } from './message-headers.ts'
import type { Agreement } from './message-headers.ts'

/** How long it may take; whether the server takes it is its own affair. */
const goodbyeMs = 1000

/** Ends a session (legacy). */
export function sayGoodbye(endpoint: Endpoint, agreed: Agreement): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]()
      exchange.abort()
      resolve()
    }
    const timer = endpoint.clock.timer(goodbyeMs, done)
    const ask: Ask = {
      method: 'DELETE',
      url: endpoint.url,
      headers: agreementHeaders(agreed),
      needs: 'headers',
      headersTimeoutMs: goodbyeMs,
    }
    const exchange = new Exchange(endpoint, ask, acknowledgment(done))
  })
}
