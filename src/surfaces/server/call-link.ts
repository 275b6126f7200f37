import { HostError } from '../../index.ts'
import type { DiscoverOptions } from '../../index.ts'
import { isObject } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'
import { addressFile, findRunning } from './address-file.ts'
import { unknownCall } from './offers/live-call.ts'

const answerMs = 30_000

/** Asks the `serve` that runs for the address of a call with a view: with the token, and one without it that opens once. */
export async function linkToCall(
  discover: DiscoverOptions,
  call: string,
): Promise<{ readonly url: string; readonly once: string }> {
  const running = await findRunning(await addressFile(discover))
  if (!running)
    throw new HostError('serve.none', {}, 'No "plugboard serve" runs, which shows views.', {
      hint: 'Start it: plugboard serve',
    })
  const { address, token } = running
  const answer = await fetch(`${address}/api/calls/${encodeURIComponent(call)}/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(answerMs),
    redirect: 'error',
  })
  const value: unknown = await answer.json()
  if (!isObject(value)) throw unknownCall(escapeLine(call))
  const { path, address: once, error } = value
  if (typeof path === 'string' && typeof once === 'string')
    return { url: `${address}${path}#k=${token}`, once }
  const { code, message, hint } = isObject(error) ? error : {}
  if (code !== 'app.unusable' || typeof message !== 'string') throw unknownCall(escapeLine(call))
  const next = typeof hint === 'string' ? { hint } : {}
  throw new HostError('app.unusable', { server: '', uri: '' }, message, next)
}

/** The address of the page that runs, without its token; `undefined` if none runs. */
export async function addressOfPage(discover: DiscoverOptions): Promise<string | undefined> {
  return (await findRunning(await addressFile(discover)))?.address
}
