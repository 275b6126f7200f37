import { ChevronDown } from 'lucide-preact'
import { clockText, countText, plural } from '../parts/amounts.tsx'
import { Button } from '../parts/button.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { addresses } from '../state/addresses.ts'
import { announcement } from '../state/announce.ts'
import { overlay } from '../state/overlay.ts'
import { about, connection, counts, notices, questions, servers } from '../state/page-state.ts'
import { AskAddress } from './ask-address.tsx'
import { PlaceLinks } from './rail.tsx'

/** Name, working folder, Find-or-run, and whether all of it is live. */
export function TopBar() {
  return (
    <header class="top">
      <div class="top-where">
        <a class="brand" href={addresses.servers}>
          Plugboard
        </a>
        <button type="button" class="brand-menu" popovertarget="places-menu">
          Plugboard <ChevronDown size={14} aria-hidden="true" />
        </button>
        <span class="mono dim cut top-folder" title={about.value?.cwd}>
          {about.value?.shownCwd}
        </span>
      </div>
      <button type="button" class="find" onClick={() => (overlay.value = 'palette')}>
        <span>Find or run…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <span class="top-live">
        <LiveLamp />
      </span>
      <PlacesMenu />
    </header>
  )
}

/** On a phone all places are behind the name. */
function PlacesMenu() {
  return (
    <nav
      id="places-menu"
      class="places-menu"
      popover="auto"
      aria-label="All places"
      onClick={(event) => event.currentTarget.hidePopover()}
    >
      <PlaceLinks />
      <div class="places-menu-foot">
        <LiveLamp /> · {location.host} {about.value && `· v${about.value.version}`}
      </div>
    </nav>
  )
}

const lamps = {
  connecting: { tone: 'dim', shape: 'ring', word: 'connecting' },
  live: { tone: 'ok', shape: 'dot', word: 'live' },
  lost: { tone: 'warn', shape: 'ring', word: 'not live' },
  ended: { tone: 'warn', shape: 'ring', word: 'not live' },
  refused: { tone: 'bad', shape: 'triangle', word: 'not live' },
} as const

function LiveLamp() {
  return <StateMark state={lamps[connection.value.state]} />
}

/** The newest of what a person should know and no place shows, until it is put away. */
function Notice() {
  const last = notices.value.at(-1)
  if (!last) return null
  return (
    <div class="live-bar" role="status">
      <span>
        {last.message} {last.hint}
      </span>
      <Button
        kind="plain"
        about="Put this notice away"
        onPress={() => (notices.value = notices.value.slice(0, -1))}
      >
        Close
      </Button>
    </div>
  )
}

/** Says what is wrong with the connection, while something is. What is shown stays, and stays usable. */
export function LiveBar() {
  const { value } = connection
  if (value.state === 'refused')
    return about.value ? (
      <div class="live-bar is-bad" role="alert">
        <span>
          This address has ended. Open the one that the terminal shows now, or paste it here; each open tab
          needs it. <code>plugboard serve --address</code> prints it.
        </span>
        <AskAddress />
      </div>
    ) : null
  if (!('since' in value)) return <Notice />
  const since = clockText(new Date(value.since))
  return (
    <div class="live-bar" role="status">
      <StateMark state={{ tone: 'warn', shape: 'ring', word: `not live since ${since}` }} />
      {value.state === 'lost' ? (
        <span>Trying again.</span>
      ) : (
        <span>
          Plugboard has ended. <code>plugboard serve</code> starts it again.
        </span>
      )}
    </div>
  )
}

export function BottomBar() {
  const { tools, tokens } = counts.value
  const waiting = questions.value.length
  return (
    <footer class="bottom">
      <StateMark
        state={
          connection.value.state === 'live'
            ? { ...lamps.live, word: 'events live' }
            : lamps[connection.value.state]
        }
      />
      {about.value && <a href={addresses.servers}>{plural(servers.value.length, 'server')}</a>}
      {about.value && (
        <a href={addresses.tools}>
          {plural(tools, 'tool')} · {countText(tokens)} tokens
        </a>
      )}
      {waiting > 0 && (
        <a href={addresses.waiting} class="tone-ask">
          {waiting} waiting
        </a>
      )}
      <span class="grow" />
      <span class="cut" role="status">
        {announcement.value}
      </span>
      <span>
        {about.value?.isDemo && 'demo · '}
        {about.value && `v${about.value.version} · `}
        {location.host}
      </span>
    </footer>
  )
}
