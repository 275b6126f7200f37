import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { NoToken } from './frame/ask-address.tsx'
import { BottomBar, LiveBar, TopBar } from './frame/bars.tsx'
import { usePageKeys } from './frame/page-keys.ts'
import { PhoneBar, Rail } from './frame/rail.tsx'
import { Empty } from './parts/messages.tsx'
import { Button } from './parts/button.tsx'
import { Servers } from './places/servers/servers.tsx'
import { addresses, go } from './state/addresses.ts'
import { overlay } from './state/overlay.ts'
import { about, connection } from './state/page-state.ts'
import { lastPlace } from './state/settings.ts'

/** What every place gets: the part of the address after its name, and the query. */
export interface PlaceProps {
  readonly id?: string
  readonly query: Readonly<Record<string, string>>
}

const Chat = place(() => import('./places/chat/chat.tsx').then(({ Chat }) => Chat))
const Tools = place(() => import('./places/tools/tools.tsx').then(({ Tools }) => Tools))
const Waiting = place(() => import('./places/waiting/waiting.tsx').then(({ Waiting }) => Waiting))
const Resources = place(() => import('./places/resources/resources.tsx').then(({ Resources }) => Resources))
const Prompts = place(() => import('./places/prompts/prompts.tsx').then(({ Prompts }) => Prompts))
const Skills = place(() => import('./places/skills/skills.tsx').then(({ Skills }) => Skills))
const Timeline = place(() => import('./places/timeline/timeline.tsx').then(({ Timeline }) => Timeline))
const Clients = place(() => import('./places/clients/clients.tsx').then(({ Clients }) => Clients))
const Config = place(() => import('./places/config/config.tsx').then(({ Config }) => Config))
const Lock = place(() => import('./places/lock/lock.tsx').then(({ Lock }) => Lock))
const Audit = place(() => import('./places/audit/audit.tsx').then(({ Audit }) => Audit))
const Palette = lazy(() => import('./frame/palette.tsx').then(({ Palette }) => Palette))
const KeysHelp = lazy(() => import('./frame/keys-help.tsx').then(({ KeysHelp }) => KeysHelp))

export function App() {
  return (
    <LocationProvider>
      <Frame />
    </LocationProvider>
  )
}

function Frame() {
  usePageKeys()
  const isUnknown = connection.value.state === 'refused' && !about.value
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <TopBar />
      <LiveBar />
      <Rail />
      <main class="content" id="main" tabIndex={-1}>
        {isUnknown ? <NoToken /> : <Places />}
      </main>
      <BottomBar />
      <PhoneBar />
      <ErrorBoundary>
        {overlay.value === 'palette' && <Palette />}
        {overlay.value === 'keys' && <KeysHelp />}
      </ErrorBoundary>
    </div>
  )
}

function Places() {
  const [failure, setFailure] = useState<Error>()
  if (failure) return <Failed failure={failure} onAgain={() => setFailure(undefined)} />
  return (
    <ErrorBoundary onError={setFailure}>
      <Router onRouteChange={keepFocus}>
        <Route path="/" component={Start} />
        <Route path="/servers/:id?" component={Servers} />
        <Route path="/chat/:id?" component={Chat} />
        <Route path="/tools/:id?" component={Tools} />
        <Route path="/waiting/:id?" component={Waiting} />
        <Route path="/resources/:id?" component={Resources} />
        <Route path="/prompts/:id?" component={Prompts} />
        <Route path="/skills/:id?" component={Skills} />
        <Route path="/timeline" component={Timeline} />
        <Route path="/calls/:id" component={Timeline} />
        <Route path="/clients/:id?" component={Clients} />
        <Route path="/config/:id?" component={Config} />
        <Route path="/lock/:id?" component={Lock} />
        <Route path="/audit/:id?" component={Audit} />
        <Route default component={Missing} />
      </Router>
    </ErrorBoundary>
  )
}

/** A part of the page that is loaded when it is first opened; without a connection it says so. */
function place(load: () => Promise<(props: PlaceProps) => preact.JSX.Element>) {
  return lazy(() => load().catch(() => NotLoaded))
}

/** Something had the focus since the page was loaded. */
let hadFocus = false
addEventListener('focusin', () => (hadFocus = true), { once: true })

/** The focus was on something that is gone: it goes to the new place, never to nothing. */
function keepFocus(): void {
  lastPlace.value = location.pathname
  requestAnimationFrame(() => {
    if (hadFocus && document.activeElement === document.body) focusMain()
  })
}

function skip(event: Event): void {
  event.preventDefault()
  focusMain()
}

function focusMain(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}

/** The last place, or Servers. */
function Start() {
  useEffect(() => go(lastPlace.value.length > 1 ? lastPlace.value : addresses.servers, { replace: true }), [])
  return <div class="place" />
}

function Missing() {
  return (
    <div class="place">
      <h1>Nothing is at this address</h1>
      <Empty says={`${location.pathname} is no address of this page.`}>
        <Button to={addresses.servers}>Servers</Button>
      </Empty>
    </div>
  )
}

function NotLoaded() {
  return (
    <div class="place">
      <h1>Not loaded</h1>
      <Empty
        says="This part of the page could not be loaded. Is plugboard serve running?"
        command="plugboard serve"
      >
        <Button onPress={() => location.reload()}>Load again</Button>
      </Empty>
    </div>
  )
}

function Failed({ failure, onAgain }: { readonly failure: Error; readonly onAgain: () => void }) {
  return (
    <div class="place">
      <h1>This view failed</h1>
      <Empty says={`The page has a fault: ${failure.message}`}>
        <Button onPress={onAgain}>Try again</Button>
        <Button to={addresses.servers} onPress={onAgain}>
          Servers
        </Button>
      </Empty>
    </div>
  )
}
