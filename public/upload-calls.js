// Refreshes the uploaded calls of the page until they are final and links to them in the list. Also puts their ids into the
// address, so that a reload shows them again.

const REFRESH_MS = 2000
/** The largest number of ids in an address. */
const MAX_LISTED_CALLS = 100

const links = document.getElementById('these-calls')
const listCalls = (more = '') => [...document.querySelectorAll(`[data-call]${more}`)]
const idsOf = (calls) => calls.map(({ dataset }) => dataset.call)

function splitIntoGroups(ids) {
  const count = Math.ceil(ids.length / MAX_LISTED_CALLS)
  return Array.from({ length: count }, (_, n) => ids.slice(n * MAX_LISTED_CALLS, (n + 1) * MAX_LISTED_CALLS))
}

async function refreshCalls() {
  if (document.hidden) return
  const groups = splitIntoGroups(idsOf(listCalls(':not([data-final])')))
  for (const ids of groups) await refreshGroup(ids)
}

async function refreshGroup(ids) {
  // The action id of the page makes the audit log show one entry.
  const headers = { 'HX-Request': 'true', 'X-Action-Id': document.getElementById('content').dataset.actionId }
  const response = await fetch(`/upload/calls?ids=${ids.join()}`, { headers })
  if (!response.ok) return
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  const states = new Map([...template.content.children].map((state) => [state.dataset.call, state]))
  for (const call of listCalls(':not([data-final])')) {
    const { call: id } = call.dataset
    if (states.has(id)) call.replaceWith(states.get(id))
    else if (ids.includes(id)) call.dataset.final = '' // deleted meanwhile
  }
}

/** Links the calls that were uploaded since the page opened, and stores the ids of all calls in the address. */
function showLinks() {
  const ids = idsOf(listCalls())
  const ownIds = idsOf([...document.querySelectorAll('#files [data-call]')])
  links.replaceChildren(...splitIntoGroups(ownIds).map(createLink))
  if (ids.length > 0) history.replaceState(history.state, '', `/upload?calls=${ids.slice(-MAX_LISTED_CALLS).join()}`)
}

function createLink(ids) {
  const link = document.createElement('a')
  link.className = 'button'
  link.href = `/recordings?ids=${ids.join()}`
  link.textContent = links.dataset.show.replace('%1', ids.length)
  return link
}

new MutationObserver(showLinks).observe(document.getElementById('files'), { childList: true })

let isRefreshing = false
setInterval(() => {
  if (isRefreshing) return
  isRefreshing = true
  refreshCalls()
    .catch(() => undefined) // The next refresh can succeed.
    .finally(() => (isRefreshing = false))
}, REFRESH_MS)
