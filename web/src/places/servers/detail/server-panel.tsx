import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { useEffect, useRef } from 'preact/hooks'
import type { ServerDetail, ServerRow } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { StateMark } from '../../../parts/state-mark.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { addresses } from '../../../state/addresses.ts'
import type { Answer } from '../../../state/answers.ts'
import { useAnswer } from '../../../state/answers.ts'
import type { Tab, Task } from '../server-address.ts'
import { tabs } from '../server-address.ts'
import { needsPerson } from '../server-groups.ts'
import { refusalOf } from '../server-requests.ts'
import { StateSentence } from '../state-sentence.tsx'
import { CallsTab } from './calls-tab.tsx'
import { DeclaredTab } from './declared-tab.tsx'
import { LogTab } from './log-tab.tsx'
import { NowTab } from './now-tab.tsx'
import { ServerFooter } from './server-footer.tsx'
import { ToolsTab } from './tools-tab.tsx'

const ServerTask = lazy(() => import('../tasks/server-task.tsx').then(({ ServerTask }) => ServerTask))

interface ServerPanelProps {
  readonly server: ServerRow
  readonly tab: Tab
  readonly task: Task | undefined
}

/** One server: its state on top, a view of it or what is being done to it, and what can be done below. */
export function ServerPanel({ server, tab, task }: ServerPanelProps) {
  const { name, title } = server
  const detail = useAnswer(
    'GET /api/servers/:server',
    { params: { server: name } },
    {
      on: ['server.changed', 'config.changed'],
      when: (event) => event.type !== 'server.changed' || event.server.name === name,
    },
  )
  const heading = useKeptFocus(task)
  return (
    <div class="server-panel">
      <header class="server-head">
        <h1 ref={heading} tabIndex={-1}>
          {name}
        </h1>
        {title !== undefined && title !== name && <span class="dim">{title}</span>}
        <StateMark state={server.state} />
        <span class="grow" />
        <Button kind="plain" to={addresses.servers} class="panel-close" about="Close (Esc)">
          Close
        </Button>
      </header>
      <div class="server-cause">
        <StateSentence state={server.state} hasHint />
        <ErrorLine error={refusalOf(name)} />
      </div>
      {task ? (
        <div class="server-view" key={task}>
          <ErrorBoundary>
            <ServerTask server={server} task={task} detail={detail} />
          </ErrorBoundary>
        </div>
      ) : (
        <>
          <Tabs
            label={`Views of ${name}`}
            current={tab}
            panel="server-view"
            items={tabs.map((id) => ({
              id,
              label: labels[id],
              to: addresses.server(name, id === 'now' ? undefined : id),
            }))}
          />
          <div class="server-view" id="server-view" role="tabpanel" aria-label={labels[tab]} key={tab}>
            <TabView server={server} tab={tab} detail={detail} />
          </div>
          <ServerFooter
            server={server}
            accounts={detail.value?.accounts.length ?? 0}
            hasCure={tab === 'now' && needsPerson(server.state)}
          />
        </>
      )}
    </div>
  )
}

const labels: Readonly<Record<Tab, string>> = {
  now: 'Now',
  tools: 'Tools',
  log: 'Log',
  declared: 'Declared',
  calls: 'Calls',
}

interface TabViewProps {
  readonly server: ServerRow
  readonly tab: Tab
  readonly detail: Answer<ServerDetail>
}

function TabView({ server, tab, detail }: TabViewProps) {
  switch (tab) {
    case 'now':
      return <NowTab server={server} detail={detail} />
    case 'tools':
      return <ToolsTab server={server.name} />
    case 'log':
      return <LogTab server={server.name} />
    case 'declared':
      return <DeclaredTab server={server} detail={detail} />
    case 'calls':
      return <CallsTab server={server.name} />
  }
}

/** The row, button or dialog that had the focus is hidden or gone: the heading takes it, never nothing. */
function useKeptFocus(view: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const active = document.activeElement
    const isLost = active === document.body || (active instanceof HTMLElement && active.offsetParent === null)
    if (isLost) heading.current?.focus()
  }, [view])
  return heading
}
