import { HostError } from '../model/error.ts'
import type { Discovery } from '../model/server.ts'

/** Nobody is trusted because nobody could be read: that is what a person has to mend first. */
export function damagedStore({ diagnostics }: Discovery): HostError<'store.damaged'> | undefined {
  const damage = diagnostics.find(({ code }) => code === 'store-damaged')
  if (!damage) return undefined
  const { message, hint, origin } = damage
  return new HostError(
    'store.damaged',
    { file: origin?.file ?? '' },
    message,
    hint === undefined ? {} : { hint },
  )
}
