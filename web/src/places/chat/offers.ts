import { useEffect, useState } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { send } from '../../state/client.ts'
import type { Suggestion } from './compose.ts'

export type OfferedPrompt = RouteAnswer<'GET /api/prompts'>['prompts'][number]

/** What `/` and `@` offer. */
export type Offer = Suggestion &
  (
    | { readonly kind: 'prompt'; readonly prompt: OfferedPrompt }
    | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  )

/** The offers of the sign that is being typed; undefined until they are loaded. Templates need values, and are not offered. */
export function useOffers(sign: '/' | '@' | undefined): readonly Offer[] | undefined {
  const [offers, setOffers] = useState<readonly Offer[]>()
  useEffect(() => {
    if (sign === undefined) return
    let isWanted = true
    setOffers(undefined)
    const load = sign === '/' ? loadPrompts() : loadResources()
    load.then(
      (found) => isWanted && setOffers(found),
      () => isWanted && setOffers([]),
    )
    return () => void (isWanted = false)
  }, [sign])
  return offers
}

async function loadPrompts(): Promise<readonly Offer[]> {
  const { prompts } = await send('GET /api/prompts')
  return prompts.map((prompt) => ({
    kind: 'prompt',
    key: prompt.ref,
    label: prompt.name,
    detail: [prompt.server, prompt.description].filter(Boolean).join(' · '),
    prompt,
  }))
}

async function loadResources(): Promise<readonly Offer[]> {
  const { resources } = await send('GET /api/resources')
  return resources
    .filter(({ isTemplate }) => !isTemplate)
    .map(({ server, uri, name }) => ({
      kind: 'resource',
      key: `${server} ${uri}`,
      label: name,
      detail: `${server} · ${uri}`,
      server,
      uri,
    }))
}

/** The text of a prompt with its arguments filled in, to be read before it is sent. */
export async function fillPrompt(
  { ref }: OfferedPrompt,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const { messages } = await send('POST /api/prompts/:ref', { params: { ref }, body: { args } })
  return messages
    .map(({ role, blocks }) => {
      const text = blocks
        .map((block) => ('text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`))
        .join('\n')
      return role === 'assistant' ? `assistant: ${text}` : text
    })
    .join('\n\n')
}
