"""Site files: the nodes of a network, where their datagrams go, and what a trial on one machine does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from mftpubsub.errors import ConfigurationError
from mftpubsub.live.node import FORGET_AFTER, ROLES, SHIPPED, Node
from mftpubsub.live.port import UdpMulticast
from mftpubsub.policies.built_in import LowestId
from mftpubsub.protocols.catalogue import POLICIES
from mftpubsub.protocols.content import Filter
from mftpubsub.protocols.naming import ProtocolField
from mftpubsub.protocols.own_protocol import OwnProtocol
from mftpubsub.runs.to_cpp import to_cpp
from mftpubsub.scenario.parameters import MftMesh, Overlay
from mftpubsub.scenario.part import Model, describe
from mftpubsub.scenario.scenario import Scenario
from mftpubsub.scenario.yaml_files import parse
from mftpubsub.simulator.snapshot import roles_of

#: Of scenarios, what live nodes do not take.
_SIMULATED = (*POLICIES, "mpl", "epidemic", "cascading", "mft_pubsub", "mft_pubsub_2")

NodeNumber = Annotated[int, Field(ge=0, le=65534)]


class SiteNode(Model):
    """What one node is."""

    roles: tuple[str, ...] = Field(
        default=(), description="of broker, subscriber, publisher; default: what the scenario says"
    )
    filters: tuple[str, ...] = Field(default=(), description="that it subscribes to when it starts")
    interfaces: tuple[str, ...] = Field(default=(), description="its own; default: those of `port`")
    mqtt: Annotated[int, Field(strict=True, ge=1, le=65535)] | None = Field(
        default=None, description="port on 127.0.0.1 for clients of MQTT 3.1.1"
    )

    @field_validator("roles", mode="before")
    @classmethod
    def _split(cls, roles: Any) -> Any:
        return roles.split() if isinstance(roles, str) else roles

    @field_validator("roles")
    @classmethod
    def _are_known(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        for role in roles:
            if role not in ROLES:
                raise ValueError(f"no role {role!r}; there are {', '.join(ROLES)}")
        return roles

    @field_validator("filters")
    @classmethod
    def _are_filters(cls, filters: tuple[str, ...]) -> tuple[str, ...]:
        for text in filters:
            Filter(text)
        return filters

    @model_validator(mode="after")
    def _subscribes_as_subscriber(self) -> Self:
        if self.filters and self.roles and "subscriber" not in self.roles:
            raise ValueError(
                f"filters: only a subscriber has some, and roles are {' '.join(self.roles)}: add subscriber"
            )
        return self


class Site(Model):
    """A network of nodes that run."""

    network: str = Field(default="mftpubsub", description="its name; datagrams of others are dropped")
    protocol: ProtocolField | None = Field(
        default=None,
        description="mft-mesh, mpl, epidemic, one on the tree, or one of your own; default: the scenario's",
    )
    mft_mesh: MftMesh | None = Field(
        default=None, description="its parameters; default: the scenario's, else heartbeats each 0.5 to 1 s"
    )
    overlay: Overlay | None = Field(
        default=None, description="times of the leader election, for a tree; default: the scenario's"
    )
    port: UdpMulticast = Field(default_factory=UdpMulticast, description="where datagrams go")
    key_file: str | None = Field(
        default=None, description="file of a key that all nodes have, from the site file on; default: none"
    )
    folder: str | None = Field(
        default=None, description="for stores, traces and results; default: the site file's name and .live"
    )
    nodes: dict[NodeNumber, SiteNode] = Field(default_factory=dict, description="by id")
    scenario: Any = Field(
        default=None,
        description="file of a scenario, or the scenario: nodes, what they publish and want, how they move",
    )
    reach: dict[NodeNumber, tuple[NodeNumber, ...]] | None = Field(
        default=None, description="trials: whom each node hears; default: by the scenario's radio, else all"
    )
    loss: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=0.0, description="trials: share of datagrams that a node does not hear"
    )

    _path: Path = Path()
    _scenario: Scenario | None = None
    _spec: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _has_nodes(self) -> Self:
        if not self.nodes and self.scenario is None:
            raise ValueError("nodes: name some, as in {0: {roles: broker}}, or a scenario that has them")
        for hearer, heard in (self.reach or {}).items():
            for node in (hearer, *heard):
                if self.nodes and self.scenario is None and node not in self.nodes:
                    raise ValueError(f"reach.{hearer}: there is no node {node}")
        return self

    @property
    def path(self) -> Path:
        """Of the site file."""
        return self._path

    @property
    def trial(self) -> Scenario | None:
        """The scenario, if it has one, with the protocol of the site."""
        return self._scenario

    @property
    def home(self) -> Path:
        """The folder of stores, traces and results."""
        return Path(self.folder) if self.folder else self._path.with_suffix(".live")

    def ids(self) -> list[int]:
        """All nodes."""
        own = set(range(self._scenario.count())) if self._scenario else set()
        return sorted(own | set(self.nodes))

    def roles(self, id: int) -> tuple[str, ...]:
        """What a node is."""
        own = self.nodes.get(id, SiteNode())
        return own.roles or (roles_of(self._spec["nodes"][id]) if self._has(id) and self._spec else ())

    def filters(self, id: int) -> list[str]:
        """What a node subscribes to when it starts."""
        own = list(self.nodes.get(id, SiteNode()).filters)
        return own + (list(self._spec["nodes"][id]["filters"]) if self._has(id) and self._spec else [])

    def _has(self, id: int) -> bool:
        return self._spec is not None and id < len(self._spec["nodes"])

    def node(self, id: int, home: Path | None = None, port: UdpMulticast | None = None) -> Node:
        """A node of it. Raises ConfigurationError if there is none."""
        if id not in self.ids():
            raise ConfigurationError(
                f"{self._path}: no node {id}; there are {', '.join(map(str, self.ids()))}"
            )
        roles = self.roles(id)
        if not roles:
            raise ConfigurationError(f"{self._path}: nodes.{id}.roles is missing")
        folder = home or self.home
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{self._path}: folder: {folder}: {error.strerror}") from None
        own = self.nodes.get(id, SiteNode())
        links = {"interfaces": own.interfaces} if own.interfaces else {}
        return Node(
            id,
            roles,
            self._protocol(),
            port or self.port.model_copy(update=links),
            folder / f"node-{id}.store",
            overlay=self.overlay or (self._scenario.overlay if self._scenario else None),
            network=self.network,
            key=self._key(),
            trace=folder / f"node-{id}.trace",
        )

    def _protocol(self) -> str | MftMesh | OwnProtocol:
        protocol = self.protocol or (self._scenario.protocol if self._scenario else "mft-mesh")
        if protocol != "mft-mesh":
            return protocol
        if self.mft_mesh:
            return self.mft_mesh
        return self._bounded(self._scenario.mft_mesh) if self._scenario else "mft-mesh"

    @staticmethod
    def _bounded(mesh: MftMesh) -> MftMesh:
        """With an end to what brokers remember, unless the scenario says another."""
        given = "forget_after" in mesh.model_fields_set
        return mesh if given else mesh.model_copy(update={"forget_after": FORGET_AFTER})

    def _key(self) -> bytes:
        if self.key_file is None:
            return b""
        path = self._path.parent / self.key_file
        try:
            key = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{self._path}: key_file: {path}: {error.strerror}") from None
        if not key:
            raise ConfigurationError(f"{self._path}: key_file: {path} is empty")
        return key


def load(path: str | Path) -> Site:
    """The site that a file describes.

    Raises ConfigurationError that names file, key and what would be right.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    content = parse(text, str(path))
    try:
        site = Site.model_validate(content, context={"folder": str(path.parent)})
    except ValidationError as error:
        raise ConfigurationError(describe(Site, error, str(path), content)) from None
    site._path = path
    if site.scenario is not None:
        site._scenario = _scenario(site, path)
        site._spec = to_cpp(site._scenario)
    elif site.protocol is not None and isinstance(site.protocol, str) and site.protocol not in SHIPPED:
        raise ConfigurationError(_not_live(path, site.protocol))
    for id in site.ids():
        if not site.roles(id):
            raise ConfigurationError(f"{path}: nodes.{id}.roles: missing: some of {', '.join(ROLES)}")
        _check_mqtt(site, id)
    return site


def _scenario(site: Site, path: Path) -> Scenario:
    """The scenario of a site, by the site's protocol."""
    if isinstance(site.scenario, str):
        scenario = Scenario.from_yaml(path.parent / site.scenario)
    elif isinstance(site.scenario, dict):
        given = {"protocol": "mft-mesh"} | site.scenario
        try:
            scenario = Scenario.model_validate(given, context={"folder": str(path.parent)})
        except ValidationError as error:
            raise ConfigurationError(describe(Scenario, error, f"{path}: scenario", given)) from None
    else:
        raise ConfigurationError(f"{path}: scenario: the name of a file, or a scenario itself")
    changed: dict[str, Any] = {}
    if site.protocol is not None:
        changed["protocol"] = site.protocol
    if site.mft_mesh is not None:
        changed["mft_mesh"] = site.mft_mesh
    if site.overlay is not None:
        changed["overlay"] = site.overlay
    scenario = scenario.replace(**changed) if changed else scenario
    if isinstance(scenario.protocol, str) and scenario.protocol not in SHIPPED:
        raise ConfigurationError(_not_live(path, scenario.protocol))
    for name in scenario.model_fields_set & {*_SIMULATED}:
        if not isinstance(getattr(scenario, name), LowestId):  # that is who leads here
            raise ConfigurationError(f"{path}: scenario.{name}: live nodes do not take it: leave it out")
    return scenario


def _check_mqtt(site: Site, id: int) -> None:
    roles = site.roles(id)
    if site.nodes.get(id, SiteNode()).mqtt and ("subscriber" not in roles or len(roles) == 1):
        raise ConfigurationError(
            f"{site.path}: nodes.{id}.mqtt: needs roles subscriber, and publisher or broker"
        )


def _not_live(path: Path, protocol: str) -> str:
    return f"{path}: protocol: {protocol} does not run live; {', '.join(SHIPPED)} and your own do"
