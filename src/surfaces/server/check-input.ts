import type { Json, JsonObject } from '../../index.ts'
import { checkArguments } from '../../internal.ts'
import type { Schema } from '../api/schema-builder.ts'
import { RequestFault } from './request-fault.ts'

/** Refuses a part of a request that does not fit the schema of its route. */
export async function checkInput(schema: Schema, value: Json, what: string): Promise<void> {
  const found = await checkArguments(schema as JsonObject, value) // the schemas of routes are plain JSON
  if (found.kind === 'valid') return
  if (found.kind === 'unchecked')
    throw new RequestFault('http.bad-request', `The ${what} cannot be checked: ${found.reason}.`)
  const [first] = found.problems
  const where = first && first.path !== '' ? `${what}: ${first.path}` : what
  throw new RequestFault('http.bad-request', `The ${where} ${first?.message ?? 'is invalid'}.`, {
    data: { problems: found.problems },
  })
}
