import { useEffect, useRef, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import type { Fault, OpenedApp } from '../../../../src/client.ts'
import type { Json } from '../../../../src/model/json.ts'
import { toFault, useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { Button } from '../button.tsx'
import { FindingList } from '../finding-list.tsx'
import { ErrorLine, Loading } from '../messages.tsx'
import { AppAsks, AppQuestion } from './app-questions.tsx'
import type { Asked } from './app-questions.tsx'
import { runApp } from './run-app.ts'
import type { RunningApp } from './run-app.ts'

/** The conversation that an app is shown in. */
export interface AppTalk {
  readonly id: string
  readonly isRunning: boolean
  readonly contexts: {
    readonly value: ReadonlyMap<string, { readonly server: string; readonly text: string }>
  }
  send(message: {
    readonly text: string
    readonly images: readonly []
    readonly resources: readonly []
  }): Promise<void>
  /** Replaces what the app of the call tells the model with the next message. */
  setContext(call: string, server: string, text: string): void
}

/** A call that a model makes: it may still be written, or run. */
export interface MadeCall {
  readonly state: string
  readonly ref?: string
  readonly args: Json
  /** As far as it is written. */
  readonly draft?: string
}

interface AppViewProps {
  readonly call: string
  readonly server: string
  readonly talk?: AppTalk
  readonly made?: MadeCall
}

/**
 * The app that shows a call: a frame of another origin, below a bar of ours that says whose it is. What it asks a person stands
 * above it, where it cannot draw.
 */
export function AppView({ call, server, talk, made }: AppViewProps) {
  const [round, setRound] = useState(0)
  const [isStopped, setIsStopped] = useState(false)
  const [isFull, setIsFull] = useState(false)
  const reload = () => {
    setIsStopped(false)
    setRound(round + 1)
  }
  return (
    <section class={`app-view${isFull ? ' is-full' : ''}`} aria-label={`App of ${server}`}>
      <div class="app-bar">
        <span class="cut">
          App of <b class="mono">{server}</b>{' '}
          <span class="dim app-note">what it shows is not Plugboard’s</span>
        </span>
        <span class="grow" />
        <Button kind="plain" about="Show it over the whole page" onPress={() => setIsFull(!isFull)}>
          {isFull ? 'Smaller' : 'Full screen'}
        </Button>
        <Button kind="plain" about="Open the app again, from its beginning" onPress={reload}>
          Reload
        </Button>
        {!isStopped && (
          <Button
            kind="plain"
            about="Remove the app and end what it does"
            onPress={() => {
              setIsStopped(true)
              setIsFull(false)
            }}
          >
            Stop
          </Button>
        )}
      </div>
      {isStopped ? (
        <p class="dim app-stopped">Stopped.</p>
      ) : (
        <OpenApp key={round} {...{ call, talk, made, isFull }} onFull={setIsFull} onReload={reload} />
      )}
    </section>
  )
}

interface OpenProps {
  readonly call: string
  readonly talk: AppTalk | undefined
  readonly made: MadeCall | undefined
  readonly isFull: boolean
  readonly onFull: (isFull: boolean) => void
  readonly onReload: () => void
}

function OpenApp(props: OpenProps) {
  const { call, made, talk } = props
  const [app, setApp] = useState<OpenedApp>()
  const [error, setError] = useState<Fault>()
  useEffect(() => {
    let opened: string | undefined
    let isGone = false
    const close = () => opened !== undefined && closeApp(opened)
    const { ref = '' } = made ?? {}
    const body = made?.state === 'drafted' && talk ? { ref, conversation: talk.id } : { call }
    send('POST /api/apps', { body }).then(
      ({ app: found }) => {
        opened = found.id
        if (isGone) close()
        else setApp(found)
      },
      (failure: unknown) => setError(toFault(failure)),
    )
    return () => {
      isGone = true
      close()
    }
  }, [])
  if (error) return <ErrorLine error={error} />
  if (!app) return <Loading what="App" />
  return <AppFrame app={app} {...props} />
}

function AppFrame({
  app,
  call,
  talk,
  made,
  isFull,
  onFull,
  onReload,
}: OpenProps & { readonly app: OpenedApp }) {
  const box = useRef<HTMLDivElement>(null)
  const running = useRef<RunningApp>()
  const [asked] = useState(() => signal<Asked>())
  const [isCut, setIsCut] = useState<string>()
  useEffect(() => {
    const own = box.current
    if (!own) return
    const started = runApp({
      box: own,
      app,
      call,
      onFull,
      onCut(reason) {
        setIsCut(reason)
        // What it asked for before ends too.
        closeApp(app.id)
      },
      ask: (kind, text) =>
        new Promise<boolean>((answer) => {
          asked.value?.answer(false)
          asked.value = {
            kind,
            text,
            answer: (isYes) => {
              asked.value = undefined
              answer(isYes)
            },
          }
        }),
      ...(talk && { onContext: (text: string) => talk.setContext(call, app.server, text) }),
      request: (kind, value) => requestOf(app.id, kind, value),
    })
    running.current = started
    return () => started.close()
  }, [])
  useEffect(() => running.current?.resize(isFull), [isFull])
  const { state = 'running', draft, args } = made ?? {}
  useEffect(() => {
    if (draft !== undefined) running.current?.tell({ draft })
  }, [draft])
  useEffect(() => {
    if (state === 'running') running.current?.tell({ args })
  }, [state])
  const isOver = state !== 'running' && state !== 'drafted'
  useEffect(() => {
    // One that had ended came with its outcome.
    if (!isOver || app.result !== undefined || app.cancelled !== undefined) return
    send('GET /api/apps/:app/outcome', { params: { app: app.id }, query: { call } }).then(
      (outcome) => running.current?.tell(outcome),
      () => running.current?.tell({ cancelled: 'The call was not made.' }),
    )
  }, [isOver])
  const grant = useAction(async () => {
    const { id, server, uri, granted, asked } = app
    await send('PUT /api/app-grants', { body: { server, uri, granted: joined(granted, asked), app: id } })
    onReload()
  })
  const revoke = useAction(async () => {
    const { id, server, uri } = app
    await send('PUT /api/app-grants', { body: { server, uri, granted: nothing, app: id } })
    onReload()
  })
  return (
    <>
      <FindingList findings={app.findings.length > 0 ? app.findings : undefined} />
      <AppAsks app={app} grant={grant} revoke={revoke} />
      {asked.value && (
        <AppQuestion key={asked.value.text} asked={asked.value} server={app.server} talk={talk} />
      )}
      {isCut !== undefined && (
        <p class="tone-warn app-stopped" role="alert">
          The app was stopped: {isCut}.
        </p>
      )}
      <div class="app-box" ref={box} hidden={isCut !== undefined} />
    </>
  )
}

function closeApp(app: string): void {
  void send('DELETE /api/apps/:app', { params: { app } }).catch(() => undefined)
}

const nothing = { connect: [], resources: [], frames: [], permissions: [] }

function joined(one: OpenedApp['granted'], other: OpenedApp['granted']): OpenedApp['granted'] {
  return {
    connect: [...one.connect, ...other.connect],
    resources: [...one.resources, ...other.resources],
    frames: [...one.frames, ...other.frames],
    permissions: [...one.permissions, ...other.permissions],
  }
}

async function requestOf(
  app: string,
  kind: 'call' | 'read',
  value: { readonly name: string; readonly args?: Json },
): Promise<Json> {
  const { name, args = {} } = value
  const { result } =
    kind === 'call'
      ? await send('POST /api/apps/:app/call', { params: { app }, body: { name, args } })
      : await send('POST /api/apps/:app/read', { params: { app }, body: { uri: name } })
  return result as Json // the answer of a server
}
