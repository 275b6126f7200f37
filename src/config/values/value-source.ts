import { isInCode } from '../../model/server.ts'
import type { Server } from '../../model/server.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { ValueSource } from '../../sources/source.ts'

/** D-17: a password in code may begin with `!` or contain `${`. */
const literal: ValueSource = { valuesOf: () => ({ syntaxes: [], unset: 'keep' }) }

/** The source whose syntax the values of a server have. Values in code are literal, or have our own syntax. */
export async function valueSourceOf(server: Server): Promise<ValueSource> {
  if (!isInCode(server)) return loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  return server.isExpanded ? loadSource('plugboard') : literal
}
