/** Faults of the connection between an operator and the API server. `amount` is in [0, 1). */
export const wireFaults = {
  latency: "requests take up to 1.2 s longer (amount)",
  "reset-before": "connections are reset before the request is forwarded",
  "reset-mid-body": "connections are reset in the middle of a response (amount: after which part of it)",
  "lost-answer": "the server executes the request, and the response is lost",
  "black-hole": "no bytes pass and neither side is notified, until connections are reset",
  "429-retry-after": "429 with Retry-After: 1",
  "429": "429 without Retry-After",
  "500": "500 with a Status",
  "503-page": "503 with a proxy's error page",
  "410-storm": "watches end with 410, and every list or watch at a known version is Expired",
  "half-event": "watches end normally inside of an event (amount: after which part of it)",
  "watch-cut": "watches are reset inside of an event (amount: after which part of it)",
} as const;

/** Faults of a whole operator process. */
export const processFaults = {
  kill: "SIGKILL; its supervisor restarts it",
  pause: "SIGSTOP, then SIGCONT when the other operator has acquired the Lease (amount < 0.5), or sooner",
  "clock-jump": "the wall clock jumps by up to 3 days, forward or backward (amount)",
  "lease-deleted": "a user deletes the Lease",
  "lease-taken": "another client acquires the Lease for a second",
} as const;

export const gitFaults = {
  "push-refused": "the remote refuses pushes",
  "push-hangs": "pushes hang",
  "push-answer-lost": "pushes succeed, and the response is lost",
  "remote-gone": "the remote does not exist",
  "fetch-corrupted": "the response to a fetch is corrupted after some bytes (amount: up to 4,000)",
  "disk-full": "the disk of the clones is full",
  "foreign-push": "another user pushes repeatedly",
  "foreign-edit": "another user edits or deletes a rendered file",
} as const;

/** Faults of the whole cluster, which affect all of its users. */
export const clusterFaults = {
  "api-server-restart": "the API server is stopped or killed, and restarted",
  "etcd-restart": "etcd is killed and restarted",
} as const;

export const faultTexts = { ...wireFaults, ...processFaults, ...gitFaults, ...clusterFaults };

export type WireFaultType = keyof typeof wireFaults;
export type FaultType = keyof typeof faultTexts;

export const isWireFault = (type: FaultType): type is WireFaultType => type in wireFaults;
export const isClusterFault = (type: FaultType): boolean => type in clusterFaults;
