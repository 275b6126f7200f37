import { useState } from 'preact/hooks'
import type { LoginProgress, ServerRow } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { CommandText, CopyButton } from '../../../parts/copy-button.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { TimeLeft } from '../../../parts/time-left.tsx'
import { addresses } from '../../../state/addresses.ts'
import { useAction } from '../../../state/answers.ts'
import { send } from '../../../state/client.ts'
import { beginLogin, isStartingLogin, loginOf, loginRefusal } from '../logins.ts'
import type { LoginFlow } from '../logins.ts'

/** The page to open, and how the login ends. It goes on when this view is left, and after a reload. */
export function LoginTask({ server: { name } }: { readonly server: ServerRow }) {
  const login = loginOf(name)
  const refusal = loginRefusal(name)
  const isStarting = isStartingLogin(name)
  const isDone = login?.state === 'done' && !isStarting && !refusal
  return (
    <>
      <h2>Log in to {name}</h2>
      <div role="status">
        {login && !refusal ? (
          <Progress login={login} />
        ) : (
          !refusal && (
            <p>
              {isStarting ? 'Asking the service where to log in…' : 'The service shows a page to log in.'}
            </p>
          )
        )}
      </div>
      <ErrorLine error={refusal} />
      <div class="buttons">
        {login?.state !== 'waiting' && !isDone && (
          <Button
            kind="primary"
            command={`plugboard login ${name}`}
            action={{ isBusy: isStarting, run: () => beginLogin(name) }}
          >
            {login || refusal ? 'Try again' : 'Log in'}
          </Button>
        )}
        <Button to={addresses.server(name)}>{isDone ? 'Done' : 'Later'}</Button>
      </div>
      {!isDone && <OtherWays name={name} flow={login?.state === 'waiting' ? login.flow : undefined} />}
      <p class="dim">
        In a terminal: <CommandText command={`plugboard login ${name}`} />
      </p>
    </>
  )
}

const ways: Readonly<Record<LoginFlow, { readonly label: string; readonly flag: string }>> = {
  browser: { label: 'In this browser', flag: '' },
  paste: { label: 'Paste the last address', flag: ' --paste' },
  device: { label: 'Code on another device', flag: ' --device' },
}

/** The page that a login ends at is on the machine of `serve`: a browser elsewhere does not reach it. */
function OtherWays({
  name,
  flow = 'browser',
}: {
  readonly name: string
  readonly flow: LoginFlow | undefined
}) {
  const others = (['browser', 'paste', 'device'] as const).filter((each) => each !== flow)
  return (
    <>
      <p class="dim">
        {flow === 'browser'
          ? 'Is the browser on another machine, or does the last page not load?'
          : 'Other ways to log in:'}
      </p>
      <div class="buttons">
        {others.map((each) => (
          <Button
            key={each}
            command={`plugboard login${ways[each].flag} ${name}`}
            action={{ isBusy: isStartingLogin(name), run: () => beginLogin(name, each) }}
          >
            {ways[each].label}
          </Button>
        ))}
      </div>
    </>
  )
}

/** Takes the address that the browser ended up at. */
function PasteAddress({
  server,
  error,
}: {
  readonly server: string
  readonly error: LoginProgress['error'] | undefined
}) {
  const [address, setAddress] = useState('')
  const give = useAction(async () => {
    await send('PUT /api/servers/:server/login/address', { params: { server }, body: { address } })
    setAddress('')
  })
  return (
    <form
      class="buttons"
      onSubmit={(event) => {
        event.preventDefault()
        if (address.trim() !== '') void give.run()
      }}
    >
      <input
        type="password"
        aria-label="Address that the browser ended up at"
        placeholder="http://127.0.0.1:…/callback?code=…"
        size={32}
        autoComplete="off"
        value={address}
        onInput={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      <Button type="submit" kind="primary" action={give}>
        Log in
      </Button>
      <ErrorLine error={give.error ?? error} />
    </form>
  )
}

function Progress({
  login: { server, state, flow, account, error, url, host, code, expiresAt },
}: {
  readonly login: LoginProgress
}) {
  if (state === 'done')
    return <p class="tone-ok">Logged in{account === undefined ? '' : ` as ${account}`}.</p>
  if (state === 'failed')
    return <ErrorLine error={error ?? { message: 'The login ended without success.' }} />
  return (
    <div class="login-steps">
      {url !== undefined && (
        <>
          <p>
            Open this page
            {host !== undefined && (
              <>
                {' '}
                of <strong>{host}</strong>
              </>
            )}{' '}
            and log in there:
          </p>
          <p class="wrap mono">{url}</p>
          <div class="buttons">
            {isWebAddress(url) && (
              <a class="button is-primary" href={url} target="_blank" rel="noopener noreferrer">
                Open the page
              </a>
            )}
            <CopyButton text={url} label="Copy address" />
          </div>
        </>
      )}
      {flow === 'paste' && (
        <>
          <p>The last page does not load: copy its whole address, and paste it here.</p>
          <PasteAddress server={server} error={error} />
        </>
      )}
      {code !== undefined && (
        <p class="place-line">
          Type this code there: <strong class="mono login-code">{code}</strong>
          <CopyButton text={code} label="Copy code" />
        </p>
      )}
      <p class="dim">
        This view shows when the login is done
        {expiresAt !== undefined && (
          <>
            ; it ends <TimeLeft until={expiresAt} />
          </>
        )}
        .
      </p>
    </div>
  )
}

/** The address comes from the service: a link to anything else could run a script or a program. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url)
}
