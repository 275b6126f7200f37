import { HostError } from '../../index.ts'
import type { Host, Tool } from '../../index.ts'

/**
 * What a server offers, and what of it has a secret that this host knows. Texts are masked before; names, addresses and values
 * of `enum` are not, because calls depend on them (decision 014), so such an offer is held as a whole.
 */
export function splitBySecrets<T extends { readonly definition: object }>(
  offers: readonly T[],
  { redactName }: Pick<Host, 'redactName'>,
): { readonly shown: readonly T[]; readonly withheld: readonly T[] } {
  const hasSecret = (value: object) => {
    const text = JSON.stringify(value)
    return redactName(text) !== text
  }
  if (!hasSecret(offers.map(({ definition }) => definition))) return { shown: offers, withheld: [] }
  return {
    shown: offers.filter(({ definition }) => !hasSecret(definition)),
    withheld: offers.filter(({ definition }) => hasSecret(definition)),
  }
}

/** What a call of such a tool is answered with. It names no text of the definition. */
export function secretError({ ref, server }: Pick<Tool, 'ref' | 'server'>, name: string): HostError {
  const message = `"${name}" was not called: it is held. Its definition has a secret of its gateway in a name, an address or a value of enum, where it cannot be masked: the operator has to change the secret or the server.`
  return new HostError('tool.held', { ref, server, reason: 'secret' }, message)
}
