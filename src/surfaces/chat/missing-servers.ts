import type { Host, ServerStatus } from '../../index.ts'
import { shownFailure } from '../../internal.ts'

/** Tells why tools of a server are missing, once for each failure. */
export class MissingServers {
  readonly #told = new Map<string, number>()

  /** A sentence for each server that cannot be used now and was not told yet. */
  take(host: Pick<Host, 'servers'>): readonly string[] {
    return host.servers().flatMap((server) => {
      const sentence = whyMissing(server)
      const { since } = server.status
      if (sentence === undefined || this.#told.get(server.name) === since) return []
      this.#told.set(server.name, since)
      return [sentence]
    })
  }
}

function whyMissing({ name, status }: ServerStatus): string | undefined {
  if (status.state !== 'failed' && status.state !== 'waiting' && status.state !== 'needs-auth')
    return undefined
  const { message, hint } = shownFailure(name, status)
  return `"${name}" is missing here: ${message} ${hint}`.trimEnd()
}
