import { useState } from 'preact/hooks'
import type { LoginProgress } from '../../../src/client.ts'
import { escapeLine, escapeText } from '../../../src/surfaces/terminal/escape.ts'
import { addresses } from '../state/addresses.ts'
import { useAction } from '../state/answers.ts'
import { send } from '../state/client.ts'
import { logins } from '../state/page-state.ts'
import { Button } from './button.tsx'
import { AnswerButton, DeclineButtons, QuestionFrame, useReply } from './question-frame.tsx'
import type { Asked, QuestionProps } from './question-view.tsx'

/** An address that a server asks a person to open: its host in bold, and all of it in sight. */
export function UrlQuestion({
  question,
  asked,
  takesFocus = false,
  onLater,
}: QuestionProps & { readonly asked: Asked<'url'> }) {
  const replying = useReply(question)
  const { reply, problem } = replying
  const isWeb = /^https?:\/\//i.test(asked.url)
  return (
    <QuestionFrame
      question={question}
      problem={problem}
      takesFocus={takesFocus}
      buttons={
        <div class="buttons">
          {isWeb && <OpenLink url={asked.url} />}
          <AnswerButton
            label="I have done it"
            replying={replying}
            command={question.command}
            onPress={() => reply({ action: 'accept' })}
          />
          <DeclineButtons question={question} replying={replying} onLater={onLater} />
        </div>
      }
    >
      <blockquote class="question-message">“{escapeText(asked.message)}”</blockquote>
      <Address url={asked.url} host={asked.host} />
      {asked.warnings.map((warning) => (
        <p key={warning} class="question-warning">
          {warning}
        </p>
      ))}
    </QuestionFrame>
  )
}

function OpenLink({ url }: { readonly url: string }) {
  return (
    <a class="button is-primary" href={url} target="_blank" rel="noopener noreferrer" title={url}>
      Open
    </a>
  )
}

/** The whole address, with the host that decides whom one talks to in bold. */
function Address({ url, host }: { readonly url: string; readonly host: string }) {
  const shown = escapeLine(url)
  const at = host === '' ? -1 : shown.indexOf(host)
  return (
    <p class="question-address">
      {at < 0 ? (
        shown
      ) : (
        <>
          {shown.slice(0, at)}
          <b>{host}</b>
          {shown.slice(at + host.length)}
        </>
      )}
    </p>
  )
}

/** A login that a call waits for. */
export function LoginQuestion({
  question,
  asked,
  takesFocus = false,
  onLater,
}: QuestionProps & { readonly asked: Asked<'login'> }) {
  const replying = useReply(question)
  const { problem } = replying
  const { server = '' } = question
  const [begun, setBegun] = useState<LoginProgress>()
  const login = logins.value.findLast((each) => each.server === server) ?? begun
  const begin = useAction(async () =>
    setBegun(await send('POST /api/servers/:server/login', { params: { server } })),
  )
  return (
    <QuestionFrame
      question={question}
      problem={problem ?? begin.error ?? login?.error}
      takesFocus={takesFocus}
      buttons={
        <div class="buttons">
          {login?.state === 'waiting' && login.url !== undefined ? (
            <OpenLink url={login.url} />
          ) : (
            <Button kind="primary" action={begin} command={`plugboard login ${server}`}>
              Log in
            </Button>
          )}
          <DeclineButtons question={question} replying={replying} onLater={onLater} />
        </div>
      }
    >
      <p class="question-message">{escapeText(asked.reason)}</p>
      {login?.state === 'waiting' && login.url !== undefined && (
        <>
          <p>This page asks for the login:</p>
          <Address url={login.url} host={login.host ?? ''} />
          {login.code !== undefined && (
            <p>
              Type this code there: <code>{login.code}</code>
            </p>
          )}
        </>
      )}
      {server !== '' && question.state === 'pending' && (
        <p class="question-note">
          <a href={`${addresses.server(server)}?do=login`}>Other ways to log in</a>
        </p>
      )}
      {login?.state === 'done' && <p class="tone-ok">Logged in.</p>}
    </QuestionFrame>
  )
}
