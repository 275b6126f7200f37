import { useLayoutEffect, useState } from 'preact/hooks'
import { matching } from './compose.ts'
import type { Trigger } from './compose.ts'
import type { Offer } from './offers.ts'

interface Suggestions {
  readonly shown: readonly Offer[]
  readonly active: number
  readonly activeId: string | undefined
  readonly onChoose: (offer: Offer) => void
  /** Handles keys of the box while offers are shown; `true` if it took one. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean
}

/** The offers that match what is typed, with one of them active. The focus stays in the box. */
export function useSuggestions({
  offers = [],
  trigger,
  onChoose,
}: {
  readonly offers: readonly Offer[] | undefined
  readonly trigger: Trigger | undefined
  readonly onChoose: (offer: Offer) => void
}): Suggestions {
  const [active, setActive] = useState(0)
  const shown = trigger ? matching(offers, trigger.words) : []
  useLayoutEffect(() => setActive(0), [trigger?.words, trigger?.sign])
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const chosen = shown[active]
    if (!chosen || event.ctrlKey || event.metaKey) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setActive((active + step + shown.length) % shown.length)
    else if (event.key === 'Enter' || event.key === 'Tab') onChoose(chosen)
    else return false
    event.preventDefault()
    return true
  }
  const activeId = shown[active] ? `message-offer-${active}` : undefined
  return { shown, active, activeId, onChoose, onKeyDown }
}

export function SuggestionList({
  shown,
  active,
  onChoose,
  sign,
  offers,
}: Suggestions & { readonly sign: '/' | '@'; readonly offers: readonly Offer[] | undefined }) {
  const what = sign === '/' ? 'prompts' : 'resources'
  return (
    <div class="chat-offers">
      <ul id="message-offers" role="listbox" aria-label={what}>
        {shown.map((offer, at) => (
          <li
            key={offer.key}
            id={`message-offer-${at}`}
            role="option"
            aria-selected={at === active}
            // The box keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(offer)}
          >
            <span class="mono">{offer.label}</span>
            <span class="dim">{offer.detail}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p class="dim">{offers === undefined ? `Loading ${what}…` : `No ${what} match.`}</p>
      )}
    </div>
  )
}
