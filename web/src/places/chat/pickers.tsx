import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { countText } from '../../parts/amounts.tsx'
import { send } from '../../state/client.ts'
import { onFeed } from '../../state/page-state.ts'

/** The models and agents that can be chosen; undefined until they are loaded. */
export const models = signal<RouteAnswer<'GET /api/models'> | undefined>(undefined)
const agents = signal<RouteAnswer<'GET /api/agents'>['agents']>([])

async function load(): Promise<void> {
  // Each is shown as soon as it is there: a model's endpoint may take seconds.
  await Promise.allSettled([
    send('GET /api/agents').then((found) => (agents.value = found.agents)),
    send('GET /api/models').then((found) => (models.value = found)),
  ])
}

/** Loads what the pickers offer, and again when the configuration changes. */
export function useChoices(): void {
  useEffect(() => {
    void load()
    return onFeed('config.changed', () => void load())
  }, [])
}

export interface Choice {
  readonly agent?: string | undefined
  readonly model?: string | undefined
}

/** Agent and model of a conversation. */
export function Pickers({
  chosen,
  onChange,
  children,
}: {
  readonly chosen: Choice
  readonly onChange: (to: { readonly agent?: string | null; readonly model?: string }) => void
  readonly children?: ComponentChildren
}) {
  const known = models.value
  const model = chosen.model ?? known?.current ?? ''
  const rows = known?.models ?? []
  return (
    <section class="chat-pickers" aria-label="Agent and model">
      {agents.value.length > 0 && (
        <label>
          <span>Agent</span>
          <select
            value={chosen.agent ?? ''}
            onChange={({ currentTarget }) => onChange({ agent: currentTarget.value || null })}
          >
            <option value="">none</option>
            {agents.value.map(({ name, description }) => (
              <option key={name} value={name} title={description}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {rows.length > 0 && (
        <label>
          <span>Model</span>
          <select
            id="chat-model"
            value={model}
            onChange={({ currentTarget }) => onChange({ model: currentTarget.value })}
          >
            {rows.every(({ ref }) => ref !== model) && <option value={model}>{model || 'choose…'}</option>}
            {rows.map(({ ref, window }) => (
              <option key={ref} value={ref}>
                {ref}
                {window !== undefined && ` · ${countText(window)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {children}
    </section>
  )
}

/**
 * The demo model is named as such: it is no language model. Of the endpoints only that of the model in hand is a problem here;
 * Config has the others, most of which nobody has set up.
 */
export function ModelNote({ model }: { readonly model?: string | undefined }) {
  const known = models.value
  if (!known) return null
  const endpoint = (model ?? known.current)?.split('/')[0]
  const broken = known.endpoints.filter(({ name, isReady }) => name === endpoint && !isReady)
  return (
    <>
      {known.isDemo && (
        <p class="small dim">
          No model is set up. The demo model matches words to tools.{' '}
          <a href="/config#models" title="plugboard models add">
            Set up a model
          </a>
        </p>
      )}
      {broken.map(({ name, problem, hint }) => (
        <p key={name} class="small">
          <span class="tone-warn">
            {name}: {problem ?? 'does not answer'}
          </span>{' '}
          <span class="dim">{hint}</span>
        </p>
      ))}
    </>
  )
}
