import type { Server } from '../../index.ts'
import { redactCommand, redactText } from '../../internal.ts'

/** The command or URL of a server, with literal secrets hidden. */
export function endpointText({ transport }: Pick<Server, 'transport'>): string {
  if (transport.kind !== 'stdio') return redactText(transport.url)
  return redactCommand(transport.command, transport.args)
}
