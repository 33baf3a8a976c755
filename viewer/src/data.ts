// What the C program puts into the page (docs/viewer.md).

export interface SceneBody {
  name: string; parent: number; fixed: boolean; pos: number[]; quat: number[]; xpos: number[]; xquat: number[];
  mass?: number; ipos?: number[]; iquat?: number[]; inertia?: number[];
}
export interface SceneJoint {
  name: string; type: "free" | "ball" | "slide" | "hinge"; body: number; q: number; v: number;
  pos: number[]; axis: number[]; ref: number; range?: [number, number];
}
export interface SceneGeom {
  name: string; type: "plane" | "sphere" | "capsule" | "ellipsoid" | "cylinder" | "box" | "mesh"; body: number;
  size: number[]; pos: number[]; quat: number[]; mesh?: number; group: number; collides: boolean; rgba?: number[];
}
export interface SceneMesh {
  name: string; vert: string; face: string; low?: number[]; high?: number[];
}
export interface SceneVisual {
  name: string; type: SceneGeom["type"]; body: number; group: number;
  size: number[]; pos: number[]; quat: number[]; mesh?: number; rgba: number[];
}
export interface SceneContact {
  name: string; body: number; against: number; point: number[]; normal: number[]; tangents: number[][]; mu: number; e: number; joint?: number;
}
export interface Scene {
  name: string; gravity: number[]; nq: number; nv: number; qpos: number[]; qvel: number[];
  bodies: SceneBody[]; joints: SceneJoint[]; geoms: SceneGeom[];
  keys?: { name: string; qpos: number[]; qvel?: number[] }[]; visuals?: SceneVisual[]; meshes: SceneMesh[]; contacts: SceneContact[];
}

export type Maybe = number | null;

export interface Criterion {
  name: string; says: string; kind: "exact" | "sufficient"; applies: boolean; holds: boolean | null; value: Maybe; bound: Maybe;
}
export interface VerdictLine { about?: string; level: "good" | "bad" | "note" | "unknown"; text: string }
export interface Check {
  input: string;
  overall?: { level: VerdictLine["level"]; text: string };
  verdict: VerdictLine[];
  quasi: { norm: number[]; tan: number[]; G: number[][]; kinetic: number; kinetic_normal: number; kinetic_tangential: number };
  kinetic_angles_deg: number[][];
  restitution: {
    gain: Maybe; t_max: Maybe; worst: { status: string; gain: Maybe; bound: Maybe; u_n: Maybe[] };
    e_interval: ([number, number] | null)[]; propositions: Criterion[];
  };
  lmi: { feasible: boolean; margin: Maybe; t_max_sdp: Maybe };
  friction: {
    name: string; e: number; mu: number; mu_critical: Maybe; mu_star: Maybe; e_star: Maybe; e_star_uniform: Maybe;
    discriminator: Maybe; mode: string; admissible: boolean; energy_change: Maybe; impulse: number[];
  }[];
  wellposed: {
    p_matrix: boolean | null; positive_definite: boolean | null; copositive: boolean | null; strictly_copositive: boolean | null;
    mu_critical: Maybe; D: number[][]; b: number[] | null; regime: string; solutions: number[][] | null; propositions: Criterion[];
  };
  theorem2: { holds: boolean; propositions: Criterion[] };
  scan?: { joint: string; value: number[]; mu_critical: Maybe[]; mu_critical_min: Maybe; at: Maybe };
}
export interface Region {
  contacts: { name: string; e: number[]; mu: number[]; cells: string[]; mu_critical: Maybe[] }[];
  restitution: { contacts: [string, string]; state: [number, number]; low: Maybe[]; high: Maybe[] } | null;
}

export interface ImpactContact {
  name: string; n_minus: number; n_plus: number; t_minus: number[]; t_plus: number[];
  mu: number; e: number; impulse_n: number; impulse_t: number[]; mode: "stick" | "slip" | "separate" | "none"; energy: number;
  point?: number[]; impulse_world?: number[]; moment_world?: number[];
}
export interface ImpactAnswer {
  v_plus: number[]; residual: number; energy: { before: number; after: number; ratio: Maybe }; contacts: ImpactContact[];
  check: { pulls: boolean; penetrates: boolean; leaves_cone: boolean; gains_energy: boolean; energy_gain: Maybe };
  label?: string;
}
export interface ImpactLaw extends Partial<ImpactAnswer> {
  law: string; status: string; source: string; notes: string[]; solutions?: ImpactAnswer[];
}
export interface Impact { input: string; v_minus: number[]; facets: number; laws: ImpactLaw[] }

export interface OutcomeSet {
  value: number; claim: string; samples: number; terminated: number; summary: Record<string, Maybe | string>;
  contacts: { point: number[]; normal: number[]; mu: number }[];
  axes: { name: string; unit: string; row: number[] }[];
  v_minus: number[]; v_plus: string;
  marks: { law: string; label: string; v_plus: number[] }[];
  paths: { label: string; v: string }[];
}
export interface Outcomes { input: string; parameter: string | null; sets: OutcomeSet[] }

export interface RunEvent { t: number; kind: string; text: string; contact?: string }
export interface Run {
  input: string; t: string; qpos: string; qvel: string; summary: Record<string, Maybe | string>;
  series: { t: string; groups: { title: string; unit: string; lines: { name: string; y?: string; constant?: number }[] }[] };
  names: string[];
  contacts: { start: string; name: string; point: string; normal: string; force: string; mode: string; mu: string; gap: string; slip: string };
  force_unit: string;
  events: RunEvent[];
}

export interface FitValue { value: number; low?: Maybe; high?: Maybe; fitted: boolean; determined?: boolean }
export interface FitLaw extends Partial<Record<"e" | "mu" | "e_t" | "mu_static" | "slope" | "inertia" | "offset", FitValue>> {
  law: string; status: string; rank: number; error: Maybe; test: Maybe; behind: Maybe; behind_low: Maybe; behind_high: Maybe;
  errors: Maybe[]; v_plus?: Maybe[][]; surface: number[][];
}
/** A measured impact; J: normal and tangents of the first contact. */
export interface FitRow {
  number: number; group?: string; outlier?: string; v: number[]; v_plus: number[]; J: number[][];
  qpos?: number[]; points?: { point: number[]; normal: number[] }[];
}
export interface FitPart {
  group: string | null; status: string; fitted: number; unseen: number; e?: number[]; mu?: number[]; laws: FitLaw[]; rows?: FitRow[];
}
export interface Fit { input: string; said?: string; fits: FitPart[] }

/** The command behind the page and the files it reads, so that the page can ask again. */
export interface Source { command: string[]; files?: { name: string; data: string }[]; left_out?: string }

export interface Page {
  cradle: string; kind: "check" | "fit" | "impact" | "outcomes" | "run" | "view"; version: string; source?: Source;
  check?: Check; region?: Region; impact?: Impact; outcomes?: Outcomes; run?: Run; fit?: Fit; scene?: Scene;
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
export const f32 = (text: string) => new Float32Array(bytes(text));
export const f64 = (text: string) => new Float64Array(bytes(text));
export const u32 = (text: string) => new Uint32Array(bytes(text));
export const u16 = (text: string) => new Uint16Array(bytes(text));
export const u8 = (text: string) => new Uint8Array(bytes(text));

/** The last of the rising times t at or before x; 0 where there is none. */
export function lastAtOrBefore(t: Float64Array, x: number): number {
  let low = 0, high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}
