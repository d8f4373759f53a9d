// A customer of the simulated cloud that nobody here wrote the client of: drives Scaleway's official Go SDK through a
// Mac's whole life and through every refusal, and says in JSON lines what the SDK made of it. A test judges the lines.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	applesilicon "github.com/scaleway/scaleway-sdk-go/api/applesilicon/v1alpha1"
	iam "github.com/scaleway/scaleway-sdk-go/api/iam/v1alpha1"
	"github.com/scaleway/scaleway-sdk-go/scw"
)

const zone = scw.ZoneFrPar1

type customer struct {
	macs    *applesilicon.API
	nets    *applesilicon.PrivateNetworkAPI
	keys    *iam.API
	control string
}

func main() {
	client, err := scw.NewClient(scw.WithEnv(), scw.WithUserAgent("contract"))
	must(err)
	c := customer{applesilicon.NewAPI(client), applesilicon.NewPrivateNetworkAPI(client), iam.NewAPI(client), os.Getenv("CONTROL_URL")}
	server := c.reads()
	c.changes(server)
	c.life()
	c.sshKeys()
	c.networks(server)
	c.notOffered(server)
	c.refusals(server)
}

func (c customer) reads() string {
	list, err := c.macs.ListServers(&applesilicon.ListServersRequest{Zone: zone, PageSize: scw.Uint32Ptr(2)}, scw.WithAllPages())
	must(err)
	say("list", map[string]any{"total": list.TotalCount, "count": len(list.Servers), "sealed": list.Servers[0].SudoPassword})
	id := list.Servers[0].ID
	server, err := c.macs.GetServer(&applesilicon.GetServerRequest{Zone: zone, ServerID: id})
	must(err)
	say("get", server)
	types, err := c.macs.ListServerTypes(&applesilicon.ListServerTypesRequest{Zone: zone})
	must(err)
	for _, kind := range types.ServerTypes {
		say("type", kind)
	}
	images, err := c.macs.ListOS(&applesilicon.ListOSRequest{Zone: zone, ServerType: scw.StringPtr("M2-L")}, scw.WithAllPages())
	must(err)
	for _, image := range images.Os {
		say("os", image)
	}
	one, err := c.macs.GetOS(&applesilicon.GetOSRequest{Zone: zone, OsID: images.Os[0].ID})
	must(err)
	say("os alone", one)
	return id
}

func (c customer) changes(id string) {
	renamed, err := c.macs.UpdateServer(&applesilicon.UpdateServerRequest{Zone: zone, ServerID: id, Name: scw.StringPtr("renamed")})
	must(err)
	say("rename", renamed)
	rebooting, err := c.macs.RebootServer(&applesilicon.RebootServerRequest{Zone: zone, ServerID: id})
	must(err)
	say("reboot", rebooting)
	say("reboot done", c.wait(id))
	reinstalling, err := c.macs.ReinstallServer(&applesilicon.ReinstallServerRequest{Zone: zone, ServerID: id})
	must(err)
	say("reinstall", reinstalling)
	_, err = c.macs.RebootServer(&applesilicon.RebootServerRequest{Zone: zone, ServerID: id})
	sayError("reboot while reinstalling", err)
	say("reinstall done", c.wait(id))
}

// An order, its delivery, a deletion that comes too early, one that is scheduled and taken back, and the real one.
func (c customer) life() {
	project := os.Getenv("SCW_DEFAULT_PROJECT_ID")
	ordered, err := c.macs.CreateServer(&applesilicon.CreateServerRequest{
		Zone: zone, Name: "ordered", ProjectID: project, Type: "M4-S", CommitmentType: applesilicon.CommitmentTypeDuration24h,
	})
	must(err)
	say("order", ordered)
	sayError("delete too early", c.macs.DeleteServer(&applesilicon.DeleteServerRequest{Zone: zone, ServerID: ordered.ID}))
	scheduled, err := c.schedule(ordered.ID, true)
	must(err)
	say("schedule", scheduled)
	kept, err := c.schedule(ordered.ID, false)
	must(err)
	say("keep", kept)
	say("order done", c.wait(ordered.ID))
	time.Sleep(time.Until(*ordered.DeletableAt) + 50*time.Millisecond)
	must(c.macs.DeleteServer(&applesilicon.DeleteServerRequest{Zone: zone, ServerID: ordered.ID}))
	_, err = c.macs.GetServer(&applesilicon.GetServerRequest{Zone: zone, ServerID: ordered.ID})
	sayError("get deleted", err)
	batch, err := c.macs.BatchCreateServers(&applesilicon.BatchCreateServersRequest{
		Zone: zone, ProjectID: project, Type: "M4-M", CommitmentType: applesilicon.CommitmentTypeDuration24h,
		Requests: []*applesilicon.BatchCreateServersRequestBatchInnerCreateServerRequest{{Name: "one"}, {Name: "two"}},
	})
	must(err)
	say("batch", map[string]any{"count": len(batch.Servers), "status": batch.Servers[1].Status})
	_, err = c.order("M4-M")
	sayError("order past the quota", err)
}

func (c customer) schedule(id string, plan bool) (*applesilicon.Server, error) {
	return c.macs.UpdateServer(&applesilicon.UpdateServerRequest{Zone: zone, ServerID: id, ScheduleDeletion: scw.BoolPtr(plan)})
}

func (c customer) order(kind string) (*applesilicon.Server, error) {
	return c.macs.CreateServer(&applesilicon.CreateServerRequest{
		Zone: zone, Name: "refused", ProjectID: os.Getenv("SCW_DEFAULT_PROJECT_ID"), Type: kind, CommitmentType: applesilicon.CommitmentTypeDuration24h,
	})
}

func (c customer) sshKeys() {
	project := os.Getenv("SCW_DEFAULT_PROJECT_ID")
	key, err := c.keys.CreateSSHKey(&iam.CreateSSHKeyRequest{Name: "fleet", PublicKey: "ssh-ed25519 AAAA fleet", ProjectID: project})
	must(err)
	listed, err := c.keys.ListSSHKeys(&iam.ListSSHKeysRequest{Name: scw.StringPtr("fleet"), ProjectID: &project}, scw.WithAllPages())
	must(err)
	say("ssh keys", map[string]any{"total": listed.TotalCount, "same": listed.SSHKeys[0].ID == key.ID})
	must(c.keys.DeleteSSHKey(&iam.DeleteSSHKeyRequest{SSHKeyID: key.ID}))
	sayError("delete ssh key twice", c.keys.DeleteSSHKey(&iam.DeleteSSHKeyRequest{SSHKeyID: key.ID}))
}

// The option, a network on, waited for by the SDK's own means, and off again.
func (c customer) networks(id string) {
	network := "00000000-0000-4000-8000-0000000000aa"
	add := &applesilicon.PrivateNetworkAPIAddServerPrivateNetworkRequest{Zone: zone, ServerID: id, PrivateNetworkID: network}
	_, err := c.nets.AddServerPrivateNetwork(add)
	sayError("attach without the option", err)
	_, err = c.macs.UpdateServer(&applesilicon.UpdateServerRequest{Zone: zone, ServerID: id, EnableVpc: scw.BoolPtr(true)})
	must(err)
	every := 20 * time.Millisecond
	wait := &applesilicon.WaitForServerRequest{Zone: zone, ServerID: id, RetryInterval: &every}
	must(c.macs.WaitForServerVPCOptionTerminalState(wait))
	attached, err := c.nets.AddServerPrivateNetwork(add)
	must(err)
	say("attach", attached)
	rows, err := c.nets.WaitForServerPrivateNetworks(wait)
	must(err)
	say("attached", rows[0])
	must(c.nets.DeleteServerPrivateNetwork(&applesilicon.PrivateNetworkAPIDeleteServerPrivateNetworkRequest{
		Zone: zone, ServerID: id, PrivateNetworkID: network,
	}))
}

// What the real API sells and the simulated one does not.
func (c customer) notOffered(id string) {
	runners, err := c.macs.ListRunners(&applesilicon.ListRunnersRequest{Zone: zone})
	must(err)
	say("runners", map[string]any{"total": runners.TotalCount, "count": len(runners.Runners)})
	_, err = c.macs.CreateRunner(&applesilicon.CreateRunnerRequest{Zone: zone, RunnerConfiguration: &applesilicon.RunnerConfigurationV2{
		Name: "mine", Provider: applesilicon.RunnerConfigurationV2ProviderGithub,
		GithubConfiguration: &applesilicon.GithubRunnerConfiguration{URL: "https://github.com/mine", Token: "none"},
	}})
	sayError("create a runner", err)
	_, err = c.macs.GetRunner(&applesilicon.GetRunnerRequest{Zone: zone, RunnerID: id})
	sayError("get a runner", err)
	_, err = c.macs.ReinstallServer(&applesilicon.ReinstallServerRequest{Zone: zone, ServerID: id, EnableKext: true})
	sayError("reinstall with kernel extensions", err)
	_, err = c.macs.UpdateServer(&applesilicon.UpdateServerRequest{Zone: zone, ServerID: id, PublicBandwidthBps: scw.Uint64Ptr(2_000_000_000)})
	sayError("buy bandwidth", err)
}

func (c customer) refusals(id string) {
	get := func() error {
		_, err := c.macs.GetServer(&applesilicon.GetServerRequest{Zone: zone, ServerID: id})
		return err
	}
	rename := func() error {
		_, err := c.macs.UpdateServer(&applesilicon.UpdateServerRequest{Zone: zone, ServerID: id, Name: scw.StringPtr("")})
		return err
	}
	_, err := c.macs.GetServer(&applesilicon.GetServerRequest{Zone: zone, ServerID: "00000000-0000-4000-8000-00000000dead"})
	sayError("get unknown", err)
	sayError("rename to nothing", rename())
	for _, fault := range []string{"F01", "F01b", "F05", "F05c", "F06", "F07", "F12", "F13", "F13b", "F14", "expired"} {
		c.switchFault(fault)
		sayError("fault "+fault, get())
	}
	// Go itself repeats a GET on a connection that broke.
	c.post("/faults", map[string]any{"fault": "lost", "verb": "rename", "count": 1})
	sayError("rename lost", rename())
	c.post("/faults", map[string]any{"fault": "F10", "serverId": id})
	_, err = c.macs.RebootServer(&applesilicon.RebootServerRequest{Zone: zone, ServerID: id})
	sayError("reboot locked", err)
	c.post("/faults", map[string]any{"fault": "F27"})
	_, err = c.order("M2-M")
	sayError("order without stock", err)
	sayError("after all faults", get())
}

// On for the next GET of a server alone.
func (c customer) switchFault(fault string) {
	c.post("/faults", map[string]any{"fault": fault, "verb": "get", "when": "before", "count": 1})
}

func (c customer) post(path string, body any) {
	text, err := json.Marshal(body)
	must(err)
	answer, err := http.Post(c.control+path, "application/json", bytes.NewReader(text))
	must(err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		must(fmt.Errorf("control %s: %s", path, answer.Status))
	}
}

func (c customer) wait(id string) *applesilicon.Server {
	every, longest := 20*time.Millisecond, 30*time.Second
	server, err := c.macs.WaitForServer(&applesilicon.WaitForServerRequest{Zone: zone, ServerID: id, RetryInterval: &every, Timeout: &longest})
	must(err)
	return server
}

func say(step string, value any) {
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"step": step, "value": value}))
}

// The Go type of the error, the state or status that comes with it, and its text.
func sayError(step string, err error) {
	said := map[string]any{"error": "none"}
	if err != nil {
		said = map[string]any{"error": fmt.Sprintf("%T", err), "text": err.Error()}
	}
	var transient *scw.TransientStateError
	if errors.As(err, &transient) {
		said["state"] = transient.CurrentState
	}
	var generic *scw.ResponseError
	if errors.As(err, &generic) {
		said["status"] = generic.StatusCode
	}
	say(step, said)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
