import type { Readable, Writable } from 'node:stream'
import type { DiscoverOptions } from '../../index.ts'
import { openGateway } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import type { GatewayAddress } from './served-request.ts'
import { StdioFront } from './stdio-front.ts'

export interface ServeStdioOptions {
  readonly discover: DiscoverOptions
  readonly address: GatewayAddress
  readonly input: Readable
  readonly output: Writable
  /** For a person: the output belongs to the protocol. */
  readonly warn: (message: string) => void
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
}

/** Serves one client over a pipe until it closes its end; then everything that was started for it ends too. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { discover, address, input, output, warn, closeOnEnd } = options
  let opened: Promise<Gateway> | undefined
  const front: StdioFront = new StdioFront({
    input,
    output,
    address,
    openGateway: () =>
      (opened ??= openGateway({
        discover,
        capabilities: () => front.capabilities,
        only: () => front.between(),
        warn,
      })),
  })
  closeOnEnd({
    async close() {
      front.end()
      await (await opened)?.close()
    },
  })
  await front.serve()
}
