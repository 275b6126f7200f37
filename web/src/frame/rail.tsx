import { useLocation } from 'preact-iso/router'
import { Fragment } from 'preact'
import type { Place } from './place-table.ts'
import { isAt, places } from './place-table.ts'

/** The places at the left; icons only where there is little room. */
export function Rail() {
  return (
    <nav class="rail" aria-label="Places">
      <PlaceLinks />
    </nav>
  )
}

export function PlaceLinks() {
  const { path } = useLocation()
  return (
    <>
      {places.map((place, index) => (
        <Fragment key={place.to}>
          {index > 0 && places[index - 1]?.group !== place.group && <hr aria-hidden="true" />}
          <a
            class="rail-link"
            href={place.to}
            title={`${place.name} (g ${place.letter})`}
            aria-current={isAt(place, path) ? 'page' : undefined}
          >
            <place.icon size={16} strokeWidth={1.75} aria-hidden="true" />
            <span class="rail-name">{place.name}</span>
            <PlaceCount place={place} />
          </a>
        </Fragment>
      ))}
    </>
  )
}

/** The five places that a thumb reaches. */
export function PhoneBar() {
  const { path } = useLocation()
  return (
    <nav class="phone-bar" aria-label="Places">
      {places
        .filter(({ isOnPhone }) => isOnPhone)
        .map((place) => (
          <a
            key={place.to}
            class="phone-link"
            href={place.to}
            aria-current={isAt(place, path) ? 'page' : undefined}
          >
            {place.name}
            <PlaceCount place={place} />
          </a>
        ))}
    </nav>
  )
}

/** What waits for a person is violet; what is not there is not counted. */
function PlaceCount({ place }: { readonly place: Place }) {
  const count = place.count?.() ?? 0
  if (count === 0) return null
  const isAsking = place.name === 'Waiting' || place.name === 'Lock'
  return <span class={`rail-count${isAsking ? ' is-asking' : ''}`}>{count}</span>
}
